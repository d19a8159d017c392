package RepcheckAdapter;

# The loop that the Perl adapters share; the protocol is in impl/process/protocol.go.
#
# An adapter says what it is and gives two functions of its own:
#
#     use RepcheckAdapter qw(serve);
#
#     serve(
#         name => 'perl-library', package => 'Library', version => $Library::VERSION, lineage => 'library',
#         parse => sub { my ($robots) = @_; ... },               # once for each file
#         ask   => sub { my ($parsed, $agent, $url) = @_; ... }, # once for each URL
#     );
#
# All three are strings of octets. ask returns 1 or 0; any other value is an error, for it is
# not for the loop to guess what undef means. What either function dies of is the answer
# "error"; call unsupported($why) for a question that the library has no room for.
#
# ns is the time inside parse and ask. print goes to stderr, as warnings do.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP;
use MIME::Base64 'decode_base64';
use Time::HiRes 'clock_gettime', 'CLOCK_MONOTONIC';

our @EXPORT_OK = qw(serve unsupported);

my $ns;    # spent in the library for the answer in work

sub unsupported { die { unsupported => $_[0] } }

# Answers requests until stdin ends.
sub serve {
    my (%adapter) = @_;
    open(my $answers, '>&', \*STDOUT) or die "no stdout: $!";
    open(STDOUT, '>&', \*STDERR) or die "no stderr: $!";
    binmode $_ for \*STDIN, $answers;
    $answers->autoflush(1);
    my %hello = (
        hello    => 1,
        language => 'perl',
        features => ['time', 'hash'],
        window   => 256,
        map { $_ => "$adapter{$_}" } qw(name package version lineage),
    );
    my $json = JSON::PP->new->utf8;
    my %file = (parse => $adapter{parse}, ask => $adapter{ask});
    while (my $line = <STDIN>) {
        my $request = $json->decode($line);
        my $reply = exists $request->{hello} ? \%hello : answer(\%file, $request);
        print {$answers} $json->encode($reply), "\n";
    }
    return;
}

sub answer {
    my ($file, $request) = @_;
    $ns = 0;
    my $said = attempt(sub { about($file, $request) });
    return { id => $request->{id}, %$said, ns => $ns };
}

sub about {
    my ($file, $request) = @_;
    load($file, $request);
    my $agent = octets($request, 'agent');
    $file->{said} //= attempt(sub { { parsed => timed($file->{parse}, $file->{robots}) } });
    die $file->{said} unless exists $file->{said}{parsed};
    if (exists $request->{url} || exists $request->{url_b64}) {
        return one($file, $agent, octets($request, 'url'));
    }
    my @urls = $request->{urls}
        ? map { plain($_) } @{ $request->{urls} }
        : map { decode_base64($_) } @{ $request->{urls_b64} };
    return { allows => [map { my $said = one($file, $agent, $_); $said->{allow} // $said } @urls] };
}

# Keeps the file of a request; one without a file is about the last.
sub load {
    my ($file, $request) = @_;
    if (exists $request->{robots} || exists $request->{robots_b64}) {
        my $robots = octets($request, 'robots');
        if (!defined $file->{robots} || $robots ne $file->{robots}) {
            $file->{robots} = $robots;
            delete $file->{said};
        }
        $file->{hash} = $request->{hash};
        return;
    }
    my $hash = $request->{hash} // '';
    die "unknown hash $hash\n" unless $hash eq ($file->{hash} // '') && defined $file->{robots};
    return;
}

# What is said of one URL.
sub one {
    my ($file, $agent, $url) = @_;
    return attempt(sub {
        my $allow = timed($file->{ask}, $file->{said}{parsed}, $agent, $url);
        my $shown = $allow // 'undef';
        die "the library answers $shown, neither 1 nor 0\n" unless $shown =~ /\A[01]\z/;
        return { allow => $allow ? JSON::PP::true : JSON::PP::false };
    });
}

sub timed {
    my ($function, @arguments) = @_;
    my $start = clock_gettime(CLOCK_MONOTONIC);
    my $result = eval { $function->(@arguments) };
    my $died = $@;
    $ns += int((clock_gettime(CLOCK_MONOTONIC) - $start) * 1e9);
    die $died if $died;
    return $result;
}

# The hash that the function returns, or what its death means.
sub attempt {
    my ($function) = @_;
    my $said = eval { $function->() };
    return $said unless $@;
    return $@ if ref $@ eq 'HASH';
    my $error = substr "$@", 0, 1000;
    chomp $error;
    return { error => $error };
}

# The octets of a field that comes as text or in base64.
sub octets {
    my ($request, $key) = @_;
    return exists $request->{$key} ? plain($request->{$key}) : decode_base64($request->{"${key}_b64"});
}

sub plain {
    my ($text) = @_;
    utf8::encode($text);
    return $text;
}

1;
