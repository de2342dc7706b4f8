"""What happens between steps: the progress bar, Ctrl-C, and new orders for the flat variant."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from branchwise.progress import Progress
from branchwise.training.batches import Collator


class ProgressBar(TrainerCallback):
    """Shows documents a second and the time left."""

    def __init__(self, documents_a_step: int) -> None:
        self.documents_a_step = documents_a_step
        self.bar: Progress | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Start the bar at the step that training starts from."""
        del args, control
        self.bar = Progress("Training", state.max_steps * self.documents_a_step)
        self.start = state.global_step

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Count the documents of a step."""
        del args, control
        if self.bar is not None and state.is_world_process_zero:
            self.bar.advance(self.documents_a_step, position=state.global_step * self.documents_a_step)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Take the bar away."""
        del args, state, control
        if self.bar is not None:
            self.bar.__exit__(None, None, None)


class Interrupt(TrainerCallback):
    """Ctrl-C finishes the step, saves a checkpoint and stops; a second one stops at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Take over the signal, where this thread may."""
        del args, state, control
        try:
            self._before = signal.signal(signal.SIGINT, self._ask)
        except ValueError:  # not the main thread: Ctrl-C goes elsewhere
            self._before = None

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked:
            self._give_back()
            raise KeyboardInterrupt
        self.asked = True

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Save and stop, where that was asked."""
        del args, state
        if self.asked:
            control.should_save = True
            control.should_training_stop = True

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Give the signal back."""
        del args, state, control
        self._give_back()

    def _give_back(self) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


class NewOrders(TrainerCallback):
    """Gives the flat variant's labels a new order on each pass."""

    def __init__(self, collator: Collator) -> None:
        self.collator = collator

    def on_epoch_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Count the passes."""
        del args, control
        self.collator.epoch = int(state.epoch or 0)
