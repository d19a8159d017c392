package access

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// An origin is the scheme and the authority that share one robots.txt file
// (RFC9309-2.3-4).
type origin struct {
	// key is equal for two URLs if they share a file.
	key string
	// name is "https://example.com".
	name string
	// robots is the URL of the file.
	robots *url.URL
}

// originOf returns the origin of a URL. The path may have any octets: the parser
// knows what to do with them.
func originOf(raw string, scope ScopeEquality) (origin, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	u := &url.URL{Scheme: strings.ToLower(scheme)}
	if !ok || !isHTTP(u) {
		return origin{}, fmt.Errorf("%q is no absolute http or https URL", raw)
	}
	parsed, err := url.Parse(u.Scheme + "://" + authority)
	if err != nil {
		return origin{}, fmt.Errorf("%q has an invalid authority: %w", raw, errors.Unwrap(err))
	}
	key := scheme + "://" + authority
	u.Host = parsed.Host
	if scope == ScopeEqualityNormalised {
		if u.Host, err = normalHost(parsed); err != nil {
			return origin{}, fmt.Errorf("%q has an invalid authority: %w", raw, err)
		}
		key = u.String()
	}
	if strings.Trim(parsed.Hostname(), ".") == "" {
		return origin{}, fmt.Errorf("%q has no host", raw)
	}
	name := u.String()
	u.Path = robotsPath
	return origin{key, name, u}, nil
}

const robotsPath = "/robots.txt"

func isHTTP(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// normalHost returns the host and the port in the form that equivalent authorities
// share (RFC 3986 section 6.2): lower case, without a final dot and without the
// default port of the scheme.
func normalHost(u *url.URL) (string, error) {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.String()
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Port() == "" {
		return host, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return "", fmt.Errorf("port %s is not a number up to 65535", u.Port())
	}
	if port == 80 && u.Scheme == "http" || port == 443 && u.Scheme == "https" {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(port, 10), nil
}

// refusePrivate is a Control function of net.Dialer. It sees the address after the
// resolution of the name, so no name can lead around it.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	if ap, err := netip.ParseAddrPort(address); err != nil || !isPublic(ap.Addr()) {
		return fmt.Errorf("%w: %s", ErrPrivateAddress, address)
	}
	return nil
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns the function that makes the connections of a Fetcher. A connection
// ends after the timeout of a fetch: the transport continues a TLS handshake when
// the context of its request has ended.
func dialer(opts Options) dialFunc {
	dial := opts.DialContext
	if dial == nil {
		d := &net.Dialer{}
		if opts.BlockPrivate {
			d.Control = refusePrivate
		}
		dial = d.DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		deadline := time.Now().Add(opts.Timeout)
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if opts.BlockPrivate {
			err = refusePrivate(network, conn.RemoteAddr().String(), nil)
		}
		if err == nil {
			err = conn.SetDeadline(deadline)
		}
		if err != nil {
			conn.Close()
			return nil, err
		}
		return conn, nil
	}
}

// isPublic reports whether an address belongs to the public internet. Of IPv6 that
// is 2000::/3 without the special ranges.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if ip.Is6() && !globalIPv6.Contains(ip) || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, special := range specialRanges {
		if special.Contains(ip) {
			return false
		}
	}
	return true
}

var globalIPv6 = netip.MustParsePrefix("2000::/3")

// specialRanges are the ranges of the IANA special-purpose registries that the
// methods of netip.Addr do not know.
var specialRanges = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4, which contains IPv4 addresses
	netip.MustParsePrefix("3fff::/20"),       // documentation
}
