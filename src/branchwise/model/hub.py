"""Files from the hub, by a folder's name or a repository's id."""

from __future__ import annotations

from pathlib import Path


def local_folder(source: str | Path, *patterns: str) -> Path:
    """Return the folder of that name, or a repository's files that match, fetched from the hub.

    Raises OSError or ValueError, with a reason, where there is neither.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    from huggingface_hub import snapshot_download

    # Sub-folders hold other formats of the same model.
    return Path(snapshot_download(str(source), allow_patterns=list(patterns), ignore_patterns=["*/*"]))


def reason(error: Exception) -> str:
    """Return what an error says, as a part of a sentence."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(" .:")
