"""PPO (clip) on a small 2-d "reach the goal, avoid the pit" task, continuous actions.

Everything in one file: environment, actor-critic, rollouts, GAE, update.
"""
import os
import tempfile
from typing import Dict, List, NamedTuple, Tuple

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class Args:
    seed = 5
    num_envs = 8
    num_steps = 32          # per env and iteration
    iterations = 15
    gamma = 0.97
    lam = 0.95
    clip = 0.2
    epochs = 4
    minibatch = 64
    lr = 3e-3
    vf_coef = 0.5
    ent_coef = 0.001
    max_grad_norm = 0.5
    target_kl = 0.05


class PointEnv:
    """Point mass in [-1, 1]^2. Observation: position, velocity, goal. Pit in the middle."""

    obs_dim, act_dim, horizon = 6, 2, 40

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def reset(self) -> np.ndarray:
        angle = self.rng.uniform(0, 2 * np.pi)
        self.pos = 0.8 * np.array([np.cos(angle), np.sin(angle)])
        angle += self.rng.uniform(0.6, 1.6) * self.rng.choice([-1, 1])
        self.goal = 0.7 * np.array([np.cos(angle), np.sin(angle)])
        self.vel = np.zeros(2)
        self.t = 0
        return self._obs()

    def _obs(self) -> np.ndarray:
        return np.concatenate([self.pos, self.vel, self.goal])

    def step(self, action: np.ndarray) -> Tuple[np.ndarray, float, bool, Dict[str, bool]]:
        action = np.clip(action, -1, 1)
        before = np.linalg.norm(self.pos - self.goal)
        self.vel = 0.7 * self.vel + 0.12 * action
        self.pos = np.clip(self.pos + self.vel, -1, 1)
        self.t += 1
        after = np.linalg.norm(self.pos - self.goal)
        reached = bool(after < 0.15)
        fell = bool(np.linalg.norm(self.pos) < 0.2)
        reward = 2.0 * (before - after) - 0.01 + 1.0 * reached - 1.0 * fell
        done = reached or fell or self.t >= self.horizon
        return self._obs(), float(reward), done, {"reached": reached, "fell": fell}


class RunningNorm(nn.Module):
    """Observation normaliser, statistics kept as buffers so that they go in the checkpoint."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim, dtype=torch.float64))
        self.register_buffer("var", torch.ones(dim, dtype=torch.float64))
        self.register_buffer("count", torch.tensor(1e-4, dtype=torch.float64))

    def update(self, x: np.ndarray) -> None:
        batch = torch.as_tensor(x, dtype=torch.float64)
        bm, bv, bn = batch.mean(0), batch.var(0, unbiased=False), batch.shape[0]
        delta = bm - self.mean
        tot = self.count + bn
        self.var = (self.var * self.count + bv * bn + delta ** 2 * self.count * bn / tot) / tot
        self.mean = self.mean + delta * bn / tot
        self.count = tot

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ((x - self.mean) / (self.var + 1e-8).sqrt()).float().clamp(-5, 5)


def layer_init(layer: nn.Linear, std: float = np.sqrt(2), bias: float = 0.0) -> nn.Linear:
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias)
    return layer


class ActorCritic(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, hidden: int = 48) -> None:
        super().__init__()
        self.norm = RunningNorm(obs_dim)
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, 1), std=1.0),
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, act_dim), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.full((1, act_dim), -0.3))

    def get_value(self, obs: torch.Tensor) -> torch.Tensor:
        return self.critic(self.norm(obs)).squeeze(-1)

    def get_action_and_value(self, obs: torch.Tensor, action: torch.Tensor = None):
        x = self.norm(obs)
        mean = self.actor_mean(x)
        dist = Normal(mean, self.actor_logstd.expand_as(mean).exp())
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action).sum(-1), dist.entropy().sum(-1), self.critic(x).squeeze(-1)

    @torch.no_grad()
    def act(self, obs: np.ndarray) -> np.ndarray:
        return self.actor_mean(self.norm(torch.as_tensor(obs)[None]))[0].numpy()


class Batch(NamedTuple):
    obs: torch.Tensor
    actions: torch.Tensor
    logprobs: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor
    values: torch.Tensor


def compute_gae(rewards, values, dones, last_value, gamma, lam):
    advantages = torch.zeros_like(rewards)
    gae = torch.zeros(rewards.shape[1])
    for t in reversed(range(len(rewards))):
        next_value = last_value if t == len(rewards) - 1 else values[t + 1]
        nonterminal = 1.0 - dones[t]
        delta = rewards[t] + gamma * next_value * nonterminal - values[t]
        gae = delta + gamma * lam * nonterminal * gae
        advantages[t] = gae
    return advantages, advantages + values


def collect(envs: List[PointEnv], obs: np.ndarray, agent: ActorCritic, args, stats: Dict[str, list]):
    buf: Dict[str, list] = {k: [] for k in ("obs", "actions", "logprobs", "values", "rewards", "dones")}
    for _ in range(args.num_steps):
        agent.norm.update(obs)
        with torch.no_grad():
            obs_t = torch.from_numpy(obs)
            action, logprob, _, value = agent.get_action_and_value(obs_t)
        rewards, dones, next_obs = [], [], []
        for i, (env, a) in enumerate(zip(envs, action.numpy())):
            o, r, d, info = env.step(a)
            stats["running"][i] += r
            if d:
                stats["returns"].append(stats["running"][i])
                stats["success"].append(info["reached"])
                stats["running"][i] = 0.0
                o = env.reset()
            rewards.append(r)
            dones.append(d)
            next_obs.append(o)
        buf["obs"].append(obs_t)
        buf["actions"].append(action)
        buf["logprobs"].append(logprob)
        buf["values"].append(value)
        buf["rewards"].append(torch.tensor(rewards))
        buf["dones"].append(torch.tensor(dones).float())
        obs = np.array(next_obs)
    with torch.no_grad():
        last_value = agent.get_value(torch.from_numpy(obs))
    data = {k: torch.stack(v) for k, v in buf.items()}
    adv, ret = compute_gae(data["rewards"], data["values"], data["dones"], last_value, args.gamma, args.lam)
    flat = lambda t: t.reshape(-1, *t.shape[2:])
    return obs, Batch(*map(flat, (data["obs"], data["actions"], data["logprobs"], adv, ret, data["values"])))


def update(agent: ActorCritic, optimizer, batch: Batch, args) -> Tuple[float, float, float]:
    n = len(batch.obs)
    clipfracs = []
    for _ in range(args.epochs):
        for idx in torch.randperm(n).split(args.minibatch):
            mb = Batch(*[t[idx] for t in batch])
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(mb.obs, mb.actions)
            logratio = newlogprob - mb.logprobs
            ratio = logratio.exp()
            with torch.no_grad():
                approx_kl = ((ratio - 1) - logratio).mean()
                clipfracs += [((ratio - 1.0).abs() > args.clip).float().mean().item()]
            adv = (mb.advantages - mb.advantages.mean()) / (mb.advantages.std() + 1e-8)
            pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 1 - args.clip, 1 + args.clip)).mean()
            v_clipped = mb.values + torch.clamp(newvalue - mb.values, -args.clip, args.clip)
            v_loss = 0.5 * torch.max((newvalue - mb.returns) ** 2, (v_clipped - mb.returns) ** 2).mean()
            loss = pg_loss - args.ent_coef * entropy.mean() + args.vf_coef * v_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()
        if approx_kl > args.target_kl:
            break
    y_pred, y_true = batch.values.numpy(), batch.returns.numpy()
    var_y = np.var(y_true)
    explained_var = np.nan if var_y == 0 else 1 - np.var(y_true - y_pred) / var_y
    return approx_kl.item(), float(np.mean(clipfracs)), float(explained_var)


def evaluate(agent: ActorCritic, episodes: int = 60, seed: int = 1000) -> Tuple[float, float, float]:
    env = PointEnv(seed)
    returns, reached, lengths = [], [], []
    for _ in range(episodes):
        obs, done, total = env.reset(), False, 0.0
        while not done:
            obs, r, done, info = env.step(agent.act(obs))
            total += r
        returns.append(total)
        reached.append(info["reached"])
        lengths.append(env.t)
    return float(np.mean(returns)), float(np.mean(reached)), float(np.mean(lengths))


def main() -> None:
    args = Args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    envs = [PointEnv(args.seed + i) for i in range(args.num_envs)]
    obs = np.array([env.reset() for env in envs])
    agent = ActorCritic(PointEnv.obs_dim, PointEnv.act_dim)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)
    stats: Dict[str, list] = {"returns": [], "success": [], "running": [0.0] * args.num_envs}
    print("untrained: return %.3f success %.3f length %.1f" % evaluate(agent))

    for it in range(args.iterations):
        optimizer.param_groups[0]["lr"] = args.lr * (1.0 - it / args.iterations)
        obs, batch = collect(envs, obs, agent, args, stats)
        kl, clipfrac, ev = update(agent, optimizer, batch, args)
        if (it + 1) % 3 == 0:
            print(f"iter {it + 1:3d} return {np.mean(stats['returns'][-50:]):.3f} "
                  f"success {np.mean(stats['success'][-50:]):.3f} kl {kl:.4f} clip {clipfrac:.3f} ev {ev:.3f}")

    with tempfile.TemporaryDirectory() as run_dir:
        model_path = os.path.join(run_dir, "ppo.cleanrl_model")
        torch.save(agent.state_dict(), model_path)
        best = ActorCritic(PointEnv.obs_dim, PointEnv.act_dim)
        best.load_state_dict(torch.load(model_path, weights_only=True))
    ret, success, length = evaluate(best)
    print(f"episodes {len(stats['returns'])}")
    print(f"eval return {ret:.4f} success {success:.4f} length {length:.4f}")
    print("action std", best.actor_logstd.exp().detach().numpy().round(4).tolist())


if __name__ == "__main__":
    main()
