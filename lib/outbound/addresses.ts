/**
 * Which addresses a call may go to: those of the public Internet, and nothing that only exists around us. What an
 * address stands for is the library's knowledge; that everything it has a name for is refused, is ours.
 */
import ipaddr from 'ipaddr.js';

/** All that is given out for the public in IPv6; outside of it lie old ways to write an IPv4 address, among others. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Every form but the plain one of a public host is refused: mapped, translated and tunnelled IPv4 too. */
export function isPublicAddress(address: string): boolean {
  const read = parse(address);
  if (read === null || read.range() !== 'unicast') return false;
  return read instanceof ipaddr.IPv4 || read.match(PUBLIC_IPV6);
}

export function isLoopbackAddress(address: string): boolean {
  return parse(address)?.range() === 'loopback';
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // A zone names an interface of this machine, and nothing beyond it.
  if (address.includes('%')) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : null;
}
