/** Built-in receiver addresses: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBuiltInReceiver } from "./built-in-receiver.ts";

const key = new Uint8Array(32).fill(7);
const origin = "http://127.0.0.1:4546";
const ours = createBuiltInReceiver(key, "main", () => origin);

test("an address of the built-in receiver is recognized by its path, which contains the name", () => {
  for (const name of ["orders", "my-shop.2", "undefined"]) {
    const address = ours.address(name) ?? "";
    assert.ok(address.startsWith(`${origin}/receiver/main/${name}/`));
    const path = address.slice(origin.length);
    assert.equal(ours.nameAt(path), name);
    assert.equal(createBuiltInReceiver(key, "main", () => undefined).nameAt(path), name);
  }
});

test("segments that a document adds belong to the address", () => {
  const address = String(ours.address("orders"));
  const path = address.slice(origin.length);
  for (const added of ["/", "/sessions/7", "/sessions/a%2Fb"]) {
    assert.equal(ours.nameAt(path + added), "orders");
    assert.ok(ours.isOwn(new URL(address + added)));
  }
  // A URL has no dots left in its path.
  assert.ok(!ours.isOwn(new URL(`${address}/../../../others`)));
});

test("a path with another name, space, seal, store or form is not an address of the built-in receiver", () => {
  const path = String(ours.address("orders")).slice(origin.length);
  const wrongPaths = [
    path.replace("/orders/", "/others/"),
    path.replace("/main/", "/side/"),
    path.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    path.slice(0, -1),
    `${path}0`,
    `${path}0/sessions`,
    "/receiver/main/orders",
    "/receiver/main",
    "/",
    "",
    String(
      createBuiltInReceiver(
        key.map(() => 8),
        "main",
        () => origin,
      ).address("orders"),
    ).slice(origin.length),
  ];
  assert.deepEqual(
    wrongPaths.map((text) => ours.nameAt(text)),
    wrongPaths.map(() => undefined),
  );
  // A name that an address can't hold is invalid, even with a correct seal.
  for (const name of ["two words", ".hidden", "x".repeat(65), "ä"])
    assert.equal(ours.nameAt(String(ours.address(name)).slice(origin.length)), undefined, name);
});

test("of the addresses that aren't public, only the built-in receiver's is allowed", () => {
  const address = String(ours.address("orders"));
  const isOwn = (text: string, at: () => string | undefined = () => origin) =>
    createBuiltInReceiver(key, "main", at).isOwn(new URL(text));
  assert.ok(isOwn(address));
  for (const host of ["localhost", "[::1]"]) {
    assert.ok(isOwn(address.replace("127.0.0.1", host)), host);
    assert.ok(
      isOwn(address, () => origin.replace("127.0.0.1", host)),
      host,
    );
  }
  for (const wrongAddress of [
    address.replace("http:", "https:"),
    address.replace(":4546", ":4547"),
    address.replace("127.0.0.1", "10.0.0.1"),
    address.replace("127.0.0.1", "hooks.example"),
    `${address}?more=1`,
    `${address}0`,
    `${origin}/`,
  ])
    assert.ok(!isOwn(wrongAddress), wrongAddress);
  // Without an operations address, or if it belongs to another machine, no address is the service's
  // own.
  assert.ok(!isOwn(address, () => "http://10.0.0.1:4546"));
  assert.ok(!isOwn(address, () => undefined));
  assert.equal(createBuiltInReceiver(key, "main", () => undefined).address("orders"), null);
});
