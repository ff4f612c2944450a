"""Fluid dispatching to two queues."""
