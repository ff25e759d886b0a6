"""The package as installed: names, imports, layout."""

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import colbench_env

ROOT = Path(colbench_env.__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_version_comes_from_one_place():
    assert colbench_env.__version__ == version("colbench-env")


def test_public_names():
    assert set(colbench_env.__all__) == {
        "BackendEnv",
        "Call",
        "ColbenchError",
        "CollabEnv",
        "Dialogue",
        "Episode",
        "Fact",
        "Fault",
        "GymEnv",
        "Leak",
        "Message",
        "Reply",
        "Score",
        "Submission",
        "Task",
        "TextVectorEnv",
        "Turn",
        "Utterance",
        "__version__",
        "check_env",
        "load_tasks",
        "make_human",
        "register_envs",
    }
    for name in colbench_env.__all__:
        assert getattr(colbench_env, name) is not None
    assert set(colbench_env.__all__) <= set(dir(colbench_env))
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = colbench_env.colour


@pytest.mark.parametrize(
    "program",
    [
        "import colbench_env",
        "import gymnasium, colbench_env; gymnasium.make('ColBench/Backend-v0').reset(seed=0)",
        "import colbench_env; [getattr(colbench_env, n) for n in colbench_env.__all__]",
    ],
)
def test_heavy_packages_are_not_imported(program):
    heavy = {"torch", "transformers", "openai", "playwright", "datasets", "scipy", "rich", "tyro"}
    loaded = run(f"{program}; import sys; print(*{{m.partition('.')[0] for m in sys.modules}})")
    assert not heavy & set(loaded.split())


def test_every_folder_with_modules_is_packaged():
    config = PYPROJECT["tool"]["setuptools"]
    folders = {"colbench_env": ROOT / "colbench_env"}
    folders |= {f"colbench_env.{name}": ROOT / name for name in ("wrappers", "baselines")}
    found = set()
    for package, folder in folders.items():
        for init in folder.rglob("__init__.py"):
            parts = init.parent.relative_to(folder).parts
            if package == "colbench_env" and parts[:1] in {("wrappers",), ("baselines",)}:
                continue
            found.add(".".join([package, *parts]))
    assert found == set(config["packages"])


def test_wheel_holds_everything(tmp_path):
    """Build a wheel as pip would and import from it alone."""
    import zipfile

    if run("import importlib.util as u; print(u.find_spec('setuptools') is not None)") != "True":
        pytest.skip("setuptools is needed to build the wheel offline")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, capture_output=True
    )
    [wheel] = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "colbench_env", "wrappers", "baselines"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for path in tracked:
        if path in ("colbench_env/wrappers", "colbench_env/baselines"):
            continue  # the links for work in the checkout
        inside = path if path.startswith("colbench_env/") else f"colbench_env/{path}"
        assert inside in names, f"{path} is not in the wheel"
