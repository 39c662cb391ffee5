/**
 * Public addresses: the addresses that outbound requests may use, which are unicast addresses of
 * the public internet. The ranges come from IANA's special-purpose registries (RFC 6890 and its
 * updates). An address outside these ranges that is not unicast is rejected as well.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";

const refusedV4 = blockList("ipv4", [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private use
  ["100.64.0.0", 10], // shared between provider and customer
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, and the metadata services of clouds
  ["172.16.0.0", 12], // private use
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.31.196.0", 24], // AS112
  ["192.52.193.0", 24], // AMT
  ["192.88.99.0", 24], // 6to4 relays, withdrawn
  ["192.168.0.0", 16], // private use
  ["192.175.48.0", 24], // AS112
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
]);

/**
 * Global unicast (RFC 4291). All other IPv6 addresses are local, mapped, translated, multicast or
 * not assigned.
 */
const unicastV6 = blockList("ipv6", [["2000::", 3]]);

const refusedV6 = blockList("ipv6", [
  ["2001::", 23], // protocol assignments, among them Teredo and ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which can embed any IPv4 address
  ["2620:4f:8000::", 48], // AS112
  ["3fff::", 20], // documentation
]);

const loopback = blockList("ipv4", [["127.0.0.0", 8]]);

/** @param address an IP address without brackets; anything else is not public */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refusedV4.check(address, "ipv4");
  // A zone (`fe80::1%eth0`) has a meaning only for local addresses.
  if (!isIPv6(address) || address.includes("%")) return false;
  return unicastV6.check(address, "ipv6") && !refusedV6.check(address, "ipv6");
}

export function isLoopbackAddress(address: string): boolean {
  return isIPv4(address) ? loopback.check(address, "ipv4") : isIPv6(address) && /^[0:]*:0*1$/.test(address);
}

function blockList(family: "ipv4" | "ipv6", ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [start, bits] of ranges) list.addSubnet(start, bits, family);
  return list;
}
