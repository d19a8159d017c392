# Fetches a page and the pages it links to with LWP::RobotUA, which answers 403
# itself where robots.txt forbids it.
use strict;
use warnings;
use HTML::LinkExtor;
use LWP::RobotUA;

my ($seed, $agent) = @ARGV;
my $ua = LWP::RobotUA->new(agent => $agent, from => 'crawler@example.com', timeout => 8);
$ua->delay(0);
my $page = $ua->get($seed);
my $links = HTML::LinkExtor->new(undef, $page->base);
$links->parse($page->decoded_content)->eof;
$ua->get($_->[2]) for grep { $_->[0] eq 'a' } $links->links;
