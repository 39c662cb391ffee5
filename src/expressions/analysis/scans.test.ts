/** Scan analysis: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScanFinder } from "./scans.ts";
import { meaning, nodeOf } from "../testing/fixtures.ts";

const finder = new ScanFinder(meaning);
const waysOf = (text: string) => finder.of(nodeOf(text)).map(({ through }) => through.join(" "));

test("every scan of a resource is counted, and nested if it depends on another scan", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    "this.weight + 1": [],
    "body.list.map(x, x + 1)": [],
    "Parcel.count()": ["Parcel"],
    "Parcel.count(p, p.weight < 3)": ["Parcel"],
    "body.list.map(x, Parcel.count(p, p.weight < x))": ["Parcel"],
    "Parcel.filter(p, p.weight > 1).map(p, p.cost)": ["Parcel"],
    "Parcel.map(p, Step.count())": ["Parcel", "Step"],
    "Parcel.exists(p, Step.exists(s, s.number > p.weight))": ["Parcel Step", "Parcel"],
    "Parcel.map(p, Step.map(s, Parcel.count(q, q.weight > s.number + p.weight)))": [
      "Parcel Step Parcel",
      "Parcel Step",
      "Parcel",
    ],
    "this.lighter": ["Parcel"],
    "Parcel.map(p, p.lighter)": ["Parcel Parcel", "Parcel"],
    "Parcel.map(p, this.lighter)": ["Parcel"],
    "Loop(this)": [],
  };
  for (const [text, ways] of Object.entries(expected)) assert.deepEqual(waysOf(text), ways, text);
});

test("an equality with an indexed field is not counted as a scan", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    "Parcel.count(p, p.shop == this.shop)": [],
    "Parcel.count(p, p.id in body.names)": [],
    "this.siblings": [],
    "Neighbour(this)": [],
    "Parcel.filter(p, p.shop == caller).map(p, Step.count(s, s.number > p.weight))": ["Step"],
    // With so few values, an index returns a large part of all records. A computed field has no index.
    "Parcel.count(p, p.fragile == true)": ["Parcel"],
    'Parcel.count(p, p.status == "delivered")': ["Parcel"],
    "Parcel.count(p, p.price == 490)": ["Parcel"],
    "Parcel.count(p, p.shop == this.shop || p.weight > 3)": ["Parcel"],
    "Parcel.map(p, p.shop).count(s, s == caller)": ["Parcel"],
    "Parcel.all(p, p.shop == caller)": ["Parcel"],
  };
  for (const [text, ways] of Object.entries(expected)) assert.deepEqual(waysOf(text), ways, text);
});

test("bodies can be excluded by name", () => {
  const without = new ScanFinder(meaning, (body) => body === "field Parcel.lighter");
  assert.deepEqual(without.of(nodeOf("this.lighter")), []);
  assert.equal(without.of(nodeOf("Parcel.count()")).length, 1);
});
