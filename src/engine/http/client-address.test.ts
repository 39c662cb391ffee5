import assert from "node:assert/strict";
import { test } from "node:test";
import { clientAddressBehind, type ForwardedHeader, readTrustedProxies } from "./client-address.ts";

function addressOf(
  trust: string,
  header: ForwardedHeader,
  peer: string,
  ...values: readonly string[]
): string {
  const trusted = readTrustedProxies(trust);
  assert.ok(trusted !== undefined, trust);
  const name = header === "forwarded" ? "Forwarded" : "X-Forwarded-For";
  return clientAddressBehind(trusted, header)(
    peer,
    values.flatMap((value) => [name, value]),
  );
}

/** What is trusted, who asks the service, what the header says, and who that is. */
const forwardedFor: readonly (readonly [
  trust: string,
  peer: string,
  values: readonly string[],
  who: string,
])[] = [
  ["loopback", "127.0.0.1", [], "127.0.0.1"],
  ["loopback", "127.0.0.1", ["203.0.113.7"], "203.0.113.7"],
  ["loopback", "::ffff:127.0.0.1", ["203.0.113.7"], "203.0.113.7"],
  // A caller who writes one itself is known by what the proxy adds.
  ["loopback", "127.0.0.1", ["8.8.8.8, 203.0.113.7"], "203.0.113.7"],
  ["loopback", "127.0.0.1", ["8.8.8.8", "203.0.113.7"], "203.0.113.7"],
  ["loopback,10.0.0.0/8", "127.0.0.1", ["8.8.8.8, 203.0.113.7, 10.1.2.3"], "203.0.113.7"],
  ["10.0.0.0/8", "203.0.113.9", ["8.8.8.8"], "203.0.113.9"],
  ["loopback", "127.0.0.1", ["127.0.0.2"], "127.0.0.2"],
  ["private", "192.168.1.4", ["2001:db8::1"], "2001:db8::1"],
  ["private", "192.168.1.4", ["[2001:db8::1]:4711"], "2001:db8::1"],
  ["1", "198.51.100.1", ["8.8.8.8, 203.0.113.7"], "203.0.113.7"],
  ["2", "198.51.100.1", ["8.8.8.8, 203.0.113.7:5000, 10.0.0.9"], "203.0.113.7"],
  ["2", "198.51.100.1", ["203.0.113.7"], "203.0.113.7"],
  // What no address is ends it: the one behind it is the last that is known.
  ["loopback", "127.0.0.1", ["203.0.113.7, unknown"], "127.0.0.1"],
  ["loopback,10.0.0.0/8", "127.0.0.1", ["203.0.113.7, nonsense, 10.0.0.9"], "10.0.0.9"],
  ["loopback", "127.0.0.1", ["203.0.113.7,"], "127.0.0.1"],
  ["loopback", "127.0.0.1", ["fe80::1%eth0"], "127.0.0.1"],
];

for (const [trust, peer, values, who] of forwardedFor) {
  test(`X-Forwarded-For ${JSON.stringify(values)} from ${peer}, ${trust} trusted: ${who}`, () => {
    assert.equal(addressOf(trust, "x-forwarded", peer, ...values), who);
  });
}

test("Forwarded is read as RFC 7239 writes it", () => {
  const of = (...values: readonly string[]) => addressOf("loopback", "forwarded", "127.0.0.1", ...values);
  assert.equal(of("for=192.0.2.60;proto=http;by=203.0.113.43"), "192.0.2.60");
  assert.equal(of('For="[2001:db8:cafe::17]:4711"'), "2001:db8:cafe::17");
  assert.equal(of("for=8.8.8.8, for=192.0.2.43"), "192.0.2.43");
  assert.equal(of('host="a,b;for=8.8.8.8";for=192.0.2.43'), "192.0.2.43");
  assert.equal(of("for=192.0.2.43, for=_hidden"), "127.0.0.1");
  assert.equal(of("proto=http"), "127.0.0.1");
});

test("only the header that the proxies write is looked at", () => {
  const headers = ["X-Forwarded-For", "8.8.8.8", "Forwarded", "for=9.9.9.9"];
  const trusted = readTrustedProxies("loopback") ?? 1;
  assert.equal(clientAddressBehind(trusted, "x-forwarded")("127.0.0.1", headers), "8.8.8.8");
  assert.equal(clientAddressBehind(trusted, "forwarded")("127.0.0.1", headers), "9.9.9.9");
});

test("what can't be trusted isn't: everybody, nobody, no address", () => {
  for (const text of [
    "",
    "0",
    "17",
    "true",
    "*",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.0/33",
    "10.0.0",
    "loopback,",
    "example.com",
  ])
    assert.equal(readTrustedProxies(text), undefined, text);
});
