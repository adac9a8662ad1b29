"""Where the folders install and how the native module builds; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

FOLDER_OF = {"tunepass": "tunepass", "tunepass.frontends": "frontends", "tunepass.hwmodels": "hwmodels"}

setup(
    packages=[
        name
        for root, folder in FOLDER_OF.items()
        for name in (root, *(f"{root}.{sub}" for sub in find_packages(folder)))
    ],
    package_dir=FOLDER_OF,
    package_data={
        "tunepass": ["py.typed", "*.pyi", "**/*.lark", "**/*.c", "**/*.cc", "**/*.h", "**/*.yaml"],
        "tunepass.frontends": ["**/*.lark", "**/*.c", "**/*.h"],
        "tunepass.hwmodels": ["**/*.yaml", "**/*.c"],
    },
    cffi_modules=["native/build_native.py:ffibuilder"],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
    zip_safe=False,
)
