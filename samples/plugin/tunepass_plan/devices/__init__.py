"""The devices of the package, one YAML file each."""
