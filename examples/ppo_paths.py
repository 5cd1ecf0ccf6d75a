"""PPO in one file, in the manner of CleanRL, on the walks of KnowGPT's section 4.1; needs the extra `train`.

    python examples/ppo_paths.py [KG] [UPDATES]

The environment is Gymnasium's own kind: nothing of Trivium but the environment is used. Each update prints the share of
episodes that reached their target. The pairs are ends of random walks over the KG; a random walker is printed first.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

ENV = "trivium.policies.paths:Trivium/PathWalk-v0"
WALKERS, STEPS, EPOCHS, PARTS = 128, 16, 4, 4
RATE, GAMMA, LAMBDA, CLIP, ENTROPY, VALUE = 2e-3, 1.0, 0.95, 0.2, 0.01, 0.5
WIDTH = 64

Tensors = dict[str, torch.Tensor]


class Agent(nn.Module):  # type: ignore[misc]  # torch is not typed
    """An actor that compares where each action leads with a query made of the rest of the observation, and a critic."""

    def __init__(self, space: gymnasium.spaces.Dict) -> None:
        super().__init__()
        entities, relations = int(space["entities"].nvec[0]), int(space["relations"].high.max()) + 1  # type: ignore[attr-defined]
        self.hops = int(space["left"].n)  # type: ignore[attr-defined]
        seen = space["state"].shape[0] + space["context"].shape[0] + self.hops + 2 * WIDTH  # type: ignore[index]
        self.entity, self.relation = nn.Embedding(entities + 1, WIDTH), nn.Embedding(relations + 1, WIDTH)
        self.query = nn.Sequential(nn.Linear(seen, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH))
        self.value = nn.Sequential(nn.Linear(seen, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 1))

    def forward(self, obs: Tensors) -> tuple[Categorical, torch.Tensor]:
        """The distribution of actions, with masked ones out, and the value float32 [n]."""
        left = nn.functional.one_hot(obs["left"].long(), self.hops).float()
        here = self.entity(obs["entities"].long() + 1).flatten(1)  # row 0 is "no entity"
        seen = torch.cat([obs["state"], obs["context"], left, here], dim=1)
        keys = self.entity(obs["neighbors"].long() + 1) + self.relation(obs["relations"].long() + 1)
        logits = (keys @ self.query(seen)[:, :, None]).squeeze(2) / WIDTH**0.5
        return Categorical(logits=logits.masked_fill(obs["action_mask"] == 0, -1e9)), self.value(seen).squeeze(1)


def tensors(obs: dict[str, Any]) -> Tensors:
    """Observations of all walkers as tensors."""
    return {key: torch.as_tensor(np.asarray(value)) for key, value in obs.items()}


def rollout(
    envs: gymnasium.vector.VectorEnv[Any, Any, Any],
    agent: Agent | None,
    obs: dict[str, Any],
    random: np.random.Generator,
) -> tuple[list[Tensors], torch.Tensor, float, dict[str, Any]]:
    """STEPS of every walker, without an agent at random.

    Observations; action, log-probability, value, reward and done, float32 [STEPS, 5, n]; the share of the episodes
    ended that reached their target; the next observation.
    """
    kept, columns, ended, reached = list[Tensors](), list[torch.Tensor](), 0, 0
    for _ in range(STEPS):
        seen = tensors(obs)
        if agent is None:
            noise = random.random(seen["action_mask"].shape) * seen["action_mask"].numpy()
            action = torch.as_tensor(noise.argmax(axis=1))
            logprob = value = torch.zeros(len(action))
        else:
            with torch.no_grad():
                chosen, value = agent(seen)
                action = chosen.sample()
                logprob = chosen.log_prob(action)
        obs, reward, done, _, info = envs.step(action.numpy())
        if done.any():
            ended += int(done.sum())
            reached += int(np.asarray(info["final_info"]["reached"])[done].sum())
        kept.append(seen)
        columns.append(
            torch.stack([action.float(), logprob, value, *map(torch.as_tensor, (reward, done.astype("f4")))])
        )
    return kept, torch.stack(columns), reached / max(ended, 1), obs


def advantages(told: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """Generalized advantages, float32 [STEPS, n]; `after` is the value behind the last step."""
    _, _, values, rewards, done = told.unbind(1)
    out, last = torch.zeros_like(values), torch.zeros_like(after)
    for step in reversed(range(STEPS)):
        following = values[step + 1] if step + 1 < STEPS else after
        going = 1 - done[step]
        last = rewards[step] + GAMMA * following * going - values[step] + GAMMA * LAMBDA * going * last
        out[step] = last
    return out


def update(
    agent: Agent, optimizer: torch.optim.Optimizer, kept: list[Tensors], told: torch.Tensor, after: torch.Tensor
) -> None:
    """EPOCHS of clipped policy gradients over the steps of a rollout, in PARTS."""
    gain = advantages(told, after)
    returns = (gain + told[:, 2]).flatten()
    batch = {key: torch.cat([each[key] for each in kept]) for key in kept[0]}
    actions, old, gain = told[:, 0].flatten(), told[:, 1].flatten(), gain.flatten()
    for _ in range(EPOCHS):
        for part in torch.randperm(len(gain)).chunk(PARTS):
            chosen, value = agent({key: column[part] for key, column in batch.items()})
            ratio = (chosen.log_prob(actions[part]) - old[part]).exp()
            weight = (gain[part] - gain[part].mean()) / (gain[part].std() + 1e-8)
            actor = -torch.min(ratio * weight, ratio.clamp(1 - CLIP, 1 + CLIP) * weight).mean()
            critic = (value - returns[part]).pow(2).mean()
            loss = actor + VALUE * critic - ENTROPY * chosen.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(envs: gymnasium.vector.VectorEnv[Any, Any, Any], updates: int, seed: int = 0) -> list[float]:
    """The share of episodes that reached their target: of a random walker, then of the agent after each update."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    space = envs.single_observation_space
    assert isinstance(space, gymnasium.spaces.Dict)
    agent = Agent(space)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    obs, _ = envs.reset(seed=seed)
    _, _, share, obs = rollout(envs, None, obs, random)
    shares = [share]
    for number in range(updates):
        kept, told, share, obs = rollout(envs, agent, obs, random)
        with torch.no_grad():
            after = agent(tensors(obs))[1]
        update(agent, optimizer, kept, told, after)
        shares.append(share)
        print(f"update {number + 1}: {share:.3f} of the episodes reached their target (at random {shares[0]:.3f})")
    return shares


def main() -> None:
    """Train on a KG's folder, by default the bundled sample's."""
    from trivium.knowledge.sample import ensure_sample  # where the sample lies; a path of yours needs nothing of this

    kg = sys.argv[1] if len(sys.argv) > 1 else str(ensure_sample())
    envs = gymnasium.make_vec(ENV, num_envs=WALKERS, vectorization_mode="vector_entry_point", kg=kg)
    train(envs, int(sys.argv[2]) if len(sys.argv) > 2 else 60)


if __name__ == "__main__":
    main()
