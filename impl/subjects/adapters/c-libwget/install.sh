# Fetches Debian's packages, unpacks them here and builds both programs beside them.
set -eu
pool=https://deb.debian.org/debian/pool/main
arch=$(dpkg --print-architecture)
fetch() { curl --fail --silent --show-error --location --remote-name "$pool/$1"; }
fetch "w/wget2/libwget0_1.99.1-2.2_$arch.deb"
fetch "w/wget2/wget2-dev_1.99.1-2.2_$arch.deb"
fetch "j/jansson/libjansson-dev_2.14-2_$arch.deb"
sha256sum --check --quiet --ignore-missing debian.sha256
for package in ./*.deb; do
	dpkg-deb --extract "$package" .
done
build() { # program, sources...
	program=$1
	shift
	cc -O2 -std=gnu11 -Wall -Wextra -DPACKAGE_VERSION='"1.99.1"' -Iusr/include -o "$program" "$@" \
		usr/lib/*/libjansson.a -Lusr/lib -lwget -Wl,-rpath,'$ORIGIN/usr/lib'
}
build c-libwget adapter.c repcheck_adapter.c
build c-libwget-direct direct.c
