"""README's worked examples, run as a reader would, print what README says they print."""

import os
import re
import subprocess
import sysconfig
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_worked_examples(tmp_path: Path) -> None:
    files = re.findall(r"`([a-z-]+\.toml)`:\n\n```toml\n(.*?)```", README, re.DOTALL)
    assert len(files) == 3
    for name, text in files:
        (tmp_path / name).write_text(text)
    scripts = sysconfig.get_path("scripts")
    environment = dict(os.environ) | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            done = subprocess.run(
                command.split(),
                capture_output=True,
                text=True,
                cwd=tmp_path,
                env=environment,
                check=False,
            )
            assert done.returncode == 0, (command, done.stderr)
            shown = [line.rstrip() for line in done.stdout.splitlines()]
            assert shown == printed.splitlines(), command
