/** Client address behind proxies: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planClientAddress, type ForwardedHeader, readTrustedProxies } from "./client-address.ts";

function addressOf(
  trust: string,
  header: ForwardedHeader,
  peer: string,
  ...values: readonly string[]
): string {
  const trusted = readTrustedProxies(trust);
  assert.ok(trusted !== undefined, trust);
  const name = header === "forwarded" ? "Forwarded" : "X-Forwarded-For";
  return planClientAddress(trusted, header)(
    peer,
    values.flatMap((value) => [name, value]),
  ).address;
}

/** By row: the trusted proxies, the peer's address, the header's values, and the client's address. */
const forwardedFor: readonly (readonly [
  trust: string,
  peer: string,
  values: readonly string[],
  who: string,
])[] = [
  ["loopback", "127.0.0.1", [], "127.0.0.1"],
  ["loopback", "127.0.0.1", ["203.0.113.7"], "203.0.113.7"],
  ["loopback", "::ffff:127.0.0.1", ["203.0.113.7"], "203.0.113.7"],
  // The client writes an entry itself; the address that the proxy appends counts.
  ["loopback", "127.0.0.1", ["8.8.8.8, 203.0.113.7"], "203.0.113.7"],
  ["loopback", "127.0.0.1", ["8.8.8.8", "203.0.113.7"], "203.0.113.7"],
  ["loopback,10.0.0.0/8", "127.0.0.1", ["8.8.8.8, 203.0.113.7, 10.1.2.3"], "203.0.113.7"],
  ["10.0.0.0/8", "203.0.113.9", ["8.8.8.8"], "203.0.113.9"],
  ["loopback", "127.0.0.1", ["127.0.0.2"], "127.0.0.2"],
  ["private", "192.168.1.4", ["2001:db8::1"], "2001:db8::1"],
  // Proxies write an address in several forms; all identify the same client (RFC 5952).
  ["private", "192.168.1.4", ["2001:0DB8:0:0:0:0:0:1"], "2001:db8::1"],
  ["private", "192.168.1.4", ["::ffff:203.0.113.7"], "203.0.113.7"],
  ["private", "192.168.1.4", ["::FFFF:cb00:7107"], "203.0.113.7"],
  ["private", "192.168.1.4", ["[2001:db8::1]:4711"], "2001:db8::1"],
  ["1", "198.51.100.1", ["8.8.8.8, 203.0.113.7"], "203.0.113.7"],
  ["2", "198.51.100.1", ["8.8.8.8, 203.0.113.7:5000, 10.0.0.9"], "203.0.113.7"],
  ["2", "198.51.100.1", ["203.0.113.7"], "203.0.113.7"],
  // An entry that is not an address ends the search: the last address read counts.
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

test("Forwarded is parsed by RFC 7239", () => {
  const of = (...values: readonly string[]) => addressOf("loopback", "forwarded", "127.0.0.1", ...values);
  assert.equal(of("for=192.0.2.60;proto=http;by=203.0.113.43"), "192.0.2.60");
  assert.equal(of('For="[2001:db8:cafe::17]:4711"'), "2001:db8:cafe::17");
  assert.equal(of("for=8.8.8.8, for=192.0.2.43"), "192.0.2.43");
  assert.equal(of('host="a,b;for=8.8.8.8";for=192.0.2.43'), "192.0.2.43");
  assert.equal(of("for=192.0.2.43, for=_hidden"), "127.0.0.1");
  assert.equal(of("proto=http"), "127.0.0.1");
});

test("only the header that the proxies write is read", () => {
  const headers = ["X-Forwarded-For", "8.8.8.8", "Forwarded", "for=9.9.9.9"];
  const trusted = readTrustedProxies("loopback") ?? 1;
  assert.equal(planClientAddress(trusted, "x-forwarded")("127.0.0.1", headers).address, "8.8.8.8");
  assert.equal(planClientAddress(trusted, "forwarded")("127.0.0.1", headers).address, "9.9.9.9");
});

/** By row: the trusted proxies, the header that is read, all headers, and the requested origin. */
const requested: readonly (readonly [
  trust: string,
  header: ForwardedHeader,
  headers: readonly string[],
  origin: string | undefined,
])[] = [
  ["loopback", "x-forwarded", ["X-Forwarded-For", "203.0.113.7"], undefined],
  [
    "loopback",
    "x-forwarded",
    ["X-Forwarded-Proto", "https", "X-Forwarded-Host", "API.example.com"],
    "https://api.example.com",
  ],
  [
    "loopback",
    "x-forwarded",
    ["Host", "api.example.com:8443", "X-Forwarded-Proto", "https"],
    "https://api.example.com:8443",
  ],
  ["loopback", "x-forwarded", ["X-Forwarded-Host", "[2001:db8::1]:80"], "http://[2001:db8::1]:80"],
  // One hop is trusted: the client wrote what precedes the proxy's own entry.
  [
    "1",
    "x-forwarded",
    [
      "X-Forwarded-For",
      "8.8.8.8, 203.0.113.7",
      "X-Forwarded-Proto",
      "http, https",
      "X-Forwarded-Host",
      "evil.test, api.example.com",
    ],
    "https://api.example.com",
  ],
  // Two hops add to the header: the outer hop's entry has the origin that the client requested.
  [
    "2",
    "x-forwarded",
    [
      "X-Forwarded-For",
      "203.0.113.7, 10.0.0.9",
      "X-Forwarded-Proto",
      "https, http",
      "X-Forwarded-Host",
      "api.example.com, inner",
    ],
    "https://api.example.com",
  ],
  [
    "loopback,10.0.0.0/8",
    "x-forwarded",
    [
      "X-Forwarded-For",
      "8.8.8.8, 203.0.113.7, 10.0.0.9",
      "X-Forwarded-Host",
      "evil.test, api.example.com, inner",
      "X-Forwarded-Proto",
      "https",
    ],
    "https://api.example.com",
  ],
  ["10.0.0.0/8", "x-forwarded", ["X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil.test"], undefined],
  [
    "loopback",
    "x-forwarded",
    ["X-Forwarded-Proto", "gopher", "X-Forwarded-Host", "api.example.com"],
    undefined,
  ],
  ["loopback", "x-forwarded", ["X-Forwarded-Proto", "https", "X-Forwarded-Host", "a/b@evil.test"], undefined],
  ["loopback", "x-forwarded", ["Forwarded", "proto=https;host=api.example.com"], undefined],
  [
    "loopback",
    "forwarded",
    ["Forwarded", "for=203.0.113.7;proto=https;host=api.example.com"],
    "https://api.example.com",
  ],
  [
    "loopback",
    "forwarded",
    ["Forwarded", 'host="api.example.com:8443";proto=https'],
    "https://api.example.com:8443",
  ],
  [
    "loopback",
    "forwarded",
    ["Forwarded", "proto=https;host=evil.test, for=203.0.113.7;proto=http;host=api.example.com"],
    "http://api.example.com",
  ],
  ["loopback", "forwarded", ["Forwarded", "for=8.8.8.8;host=evil.test, for=203.0.113.7"], undefined],
  [
    "2",
    "forwarded",
    ["Forwarded", "for=203.0.113.7;host=api.example.com;proto=https, for=10.0.0.9;host=inner"],
    "https://api.example.com",
  ],
];

for (const [trust, header, headers, origin] of requested) {
  test(`${headers.join(" ")}, ${trust} trusted: requested as ${origin ?? "an unknown origin"}`, () => {
    assert.equal(
      planClientAddress(readTrustedProxies(trust) ?? 1, header)("127.0.0.1", headers).origin,
      origin,
    );
  });
}

test("trusted proxies are rejected if they cover all addresses, are empty, or are not addresses", () => {
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
