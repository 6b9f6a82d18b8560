"""Calls of functions of `torch.cuda` that other devices do not have, or have under another name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.card_numbers import named_card
from devlint.analysis.cuda_api_table import CUDA_APIS
from devlint.analysis.facts import CudaApiCall
from devlint.analysis.parsed import ParsedFile
from devlint.analysis.syntax import literal, root_name

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_LAUNCHER = re.compile(r"nccl|init_process_group|LOCAL_RANK|DistributedDataParallel")
_DRIVES_CUDA = re.compile(
    r"^\s*(?:import|from)\s+(?:tensorrt|torch_tensorrt|triton|cupy|pycuda|flashinfer|numba\.cuda)\b"
    r"|\.cuda_stream\b|\bCUDAExtension\b|\bload_inline\(",
    re.MULTILINE,
)
"""Files of code that talks to CUDA itself: another device is no choice there."""
_SPACE = re.compile(r"torch\.cuda\.(?:(?:streams|memory|random|graphs)\.)?(.+)")


class CudaApis:
    """The calls of one run."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, CudaApiCall] = {}
        self._files: dict[ParsedFile, tuple[bool, bool]] = {}

    def called(self, node: cst.Call, dotted_name: str, arguments: Arguments) -> None:
        """A call of something of a library, by its dotted name."""
        match = _SPACE.fullmatch(dotted_name)
        if match is None or (name := match[1]) not in CUDA_APIS:
            return
        if named_card(node, name) is not None:
            return  # a card by its number is another finding
        if name == "device" and not (arguments and isinstance(literal(arguments[0].node), int)):
            return  # of a tensor's own device it does nothing on the host
        if node in self.found and (self.run.guarded or self.run.offline):
            return
        if self._behind_a_variable(node):
            return
        file = self.run.frame.file
        if file not in self._files:
            text = file.source.text
            self._files[file] = (_LAUNCHER.search(text) is not None, _DRIVES_CUDA.search(text) is not None)
        launcher, drives = self._files[file]
        if drives:
            return
        self.found[node] = CudaApiCall(self.run.meetings.site(node), name, node, launcher)

    def _behind_a_variable(self, node: cst.Call) -> bool:
        """`backend = torch.cuda if on_cuda else torch.xpu`, then `backend.synchronize()`: a choice was made."""
        root = root_name(node.func)
        frame = self.run.frame
        return root in frame.bound or root in frame.module_frame.bound
