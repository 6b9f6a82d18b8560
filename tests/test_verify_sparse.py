"""Sparse tensors on the simulated accelerator: gradients of embeddings, and what optimizers make of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from devlint.verify import simulated_accelerator  # noqa: E402


@pytest.fixture
def ledger() -> Iterator[Any]:
    with simulated_accelerator() as ledger:
        yield ledger


@pytest.mark.parametrize("optimizer", ["SparseAdam", "SGD", "Adagrad"])
def test_an_embedding_with_sparse_gradients_is_trained_where_it_is(optimizer: str, ledger: Any) -> None:
    embedding = torch.nn.Embedding(10, 4, sparse=True).to("cuda")
    steps = getattr(torch.optim, optimizer)(list(embedding.parameters()), lr=0.1)
    before = embedding.weight.detach().clone()
    for _ in range(2):
        steps.zero_grad()
        embedding(torch.tensor([1, 2, 2], device="cuda")).pow(2).sum().backward()
        grad = embedding.weight.grad
        assert grad.is_sparse
        assert grad.device.type == grad.coalesce().values().device.type == "cuda"
        steps.step()
    assert embedding.weight.device.type == "cuda"
    assert not torch.equal(embedding.weight.detach(), before)


def test_a_sparse_tensor_is_moved_with_what_it_holds(ledger: Any) -> None:
    positions, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0])
    sparse = torch.sparse_coo_tensor(positions, values, (2, 2), check_invariants=True)
    moved = sparse.to("cuda")
    assert moved.device.type == moved.to_dense().device.type == "cuda"
    assert [entry.nbytes for entry in ledger.transfers.values()] == [positions.nbytes + values.nbytes]
    with pytest.raises(RuntimeError, match="same device"):
        torch.sparse.mm(sparse, torch.ones(2, 2, device="cuda"))
