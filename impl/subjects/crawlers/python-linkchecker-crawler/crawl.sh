# Writes a configuration for LinkChecker, which takes no certificates from the environment.
set -eu
export XDG_CONFIG_HOME="$3" XDG_DATA_HOME="$3"
cat >"$3/linkcheckerrc" <<CONF
[checking]
sslverify=$4
maxrequestspersecond=1000
CONF
exec python3 -m linkcheck -f "$3/linkcheckerrc" --recursion-level=1 --check-extern --timeout=8 --no-status --user-agent="$2" "$1"
