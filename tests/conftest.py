"""Settings for every test: hypothesis draws few examples, always the same, and never minds the clock."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "branchwise",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("branchwise")
