# Checks the page and the remote links in it. linklint takes host and path apart.
set -eu
host=${1#*://}
path=/${host#*/}
exec linklint -http -host "${host%%/*}" -net -limit 1 -timeout 8 -delay 0 -http_header "User-Agent: $2" "$path"
