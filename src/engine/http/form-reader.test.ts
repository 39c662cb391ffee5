/** Form parsing: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import { elementsOf, type FormNode } from "../../fields/form.ts";
import { readForm, readFormBytes } from "./form-reader.ts";

/** Converts a tree to plain data: texts unchanged, parts as objects, elements as lists. */
function plain(node: FormNode | undefined): unknown {
  if (!node) return undefined;
  if (!node.items && !node.parts) return node.texts.length === 1 ? node.texts[0] : node.texts;
  const elements = node.items && !node.parts ? elementsOf(node) : undefined;
  return elements
    ? elements.map(plain)
    : Object.fromEntries([...(node.parts ?? [])].map(([key, part]) => [key, plain(part)]));
}

const tree = (text: string) => plain((readForm(text) as { form: FormNode }).form);

test("pairs, spaces and escapes are decoded", () => {
  assert.deepEqual(tree("a=1&b=x+y%20z&c=&d&&e=%C3%A4%3D%26"), {
    a: "1",
    b: "x y z",
    c: "",
    d: "",
    e: "ä=&",
  });
  assert.deepEqual(tree("a=b=c"), { a: "b=c" });
  assert.deepEqual(readForm(""), { form: { texts: [] } });
});

test("brackets make parts; numbers and repeated names make elements", () => {
  assert.deepEqual(tree("a[b]=1&a[c][d]=2"), { a: { b: "1", c: { d: "2" } } });
  assert.deepEqual(tree("a%5Bb%5D=1"), { a: { b: "1" } });
  assert.deepEqual(tree("a[]=1&a[]=2"), { a: ["1", "2"] });
  assert.deepEqual(tree("a=1&a=2"), { a: ["1", "2"] });
  assert.deepEqual(tree("a[0]=x&a[1]=y"), { a: { 0: "x", 1: "y" } });
});

test("elements are sorted by their numbers", () => {
  const { form } = readForm("a[10]=c&a[2]=b&a[0]=a") as { form: FormNode };
  assert.deepEqual(elementsOf(form.parts?.get("a") as FormNode)?.map(plain), ["a", "b", "c"]);
});

test("a repeated key starts the next element of a list", () => {
  assert.deepEqual(tree("l[][a]=1&l[][b]=2&l[][a]=3"), { l: [{ a: "1", b: "2" }, { a: "3" }] });
});

test("unbalanced brackets are part of the name", () => {
  assert.deepEqual(tree("a[b=1&a]=2&[c]=3&d[e]f=4"), { "a[b": "1", "a]": "2", "[c]": "3", "d[e]f": "4" });
});

test("names of members of Object are plain keys", () => {
  const { form } = readForm("__proto__[x]=1&constructor=2") as { form: FormNode };
  assert.deepEqual([...(form.parts?.keys() ?? [])], ["__proto__", "constructor"]);
  assert.equal(({} as { x?: string }).x, undefined);
});

test("escapes must be valid UTF-8 without U+0000", () => {
  for (const text of ["a=%", "a=%2", "a=%zz", "%ff=1", "a=%c0%af", "a=%00", "a=%ed%a0%80"]) {
    assert.match(readForm(text).problem ?? "", /are not UTF-8 text/, text);
  }
  assert.deepEqual(readFormBytes(Buffer.from([0x61, 0x3d, 0xff])), { problem: "the form is not UTF-8" });
});

test("the number of pairs and of brackets is limited", () => {
  const pairs = (count: number) => Array(count).fill("a=1").join("&");
  assert.equal(readForm(pairs(1000)).problem, undefined);
  assert.match(readForm(pairs(1001)).problem ?? "", /more than 1000 pairs/);
  assert.equal(readForm("a[b][c][d][e][f]=1").problem, undefined);
  assert.match(readForm("a[b][c][d][e][f][g]=1").problem ?? "", /more than 5 brackets/);
});

test("text serialized by URLSearchParams is parsed to the same pairs", () => {
  const text = fc
    .string({ unit: "grapheme" })
    .filter((value) => !value.includes("\0") && !/[[\]]/.test(value));
  fc.assert(
    fc.property(
      text.filter((name) => name !== ""),
      text,
      (name, value) => {
        const sent = new URLSearchParams([[name, value]]).toString();
        assert.equal((readForm(sent) as { form: FormNode }).form.parts?.get(name)?.texts[0], value);
      },
    ),
  );
});
