# Writes a configuration for htdig and indexes the page with the pages it links to.
set -eu
cat >"$3/htdig.conf" <<CONF
database_dir: $3
start_url: $1
limit_urls_to: http
max_hop_count: 1
robotstxt_name: $2
user_agent: $2
server_wait_time: 0
tcp_max_retries: 1
timeout: 8
CONF
exec htdig -i -c "$3/htdig.conf"
