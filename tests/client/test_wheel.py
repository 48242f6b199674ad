"""The wheel of the client, from a package index: whole, typed, and with httpx alone."""

import email
import subprocess
import zipfile

import pytest

from project import __version__
from project.settings import BASE_DIR
from tests.project.test_wheel import pip

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    try:
        pip("download", "-q", "--no-deps", "--retries=0", "--timeout=20", f"-d{folder}", "pathspec")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no package index answers: {error.stderr.strip().splitlines()[-1]}")
    subprocess.run(["make", "client-wheel", f"DIST={folder / 'dist'}"], cwd=BASE_DIR, check=True)
    [path] = (folder / "dist").iterdir()
    return path


def test_all_of_it_is_inside(wheel):
    assert wheel.name == f"chancery_client-{__version__}-py3-none-any.whl"
    source = BASE_DIR / "client" / "chancery_client"
    files = {
        str(path.relative_to(source.parent))
        for path in source.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == files | {"chancery_client/LICENSE"}
    assert "chancery_client/py.typed" in inside


def test_it_needs_httpx_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        about = email.message_from_bytes(archive.read(name))
    assert [one.partition("<")[0] for one in about.get_all("Requires-Dist")] == ["httpx"]
    assert "Private :: Do Not Upload" in about.get_all("Classifier")
