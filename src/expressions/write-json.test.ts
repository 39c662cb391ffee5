/** JSON writers of expressions: unit tests. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileFunction } from "./evaluate.ts";
import { JsonText } from "./json-text.ts";
import { frameOf, meaning, nodeOf, parcel, shop } from "./testing/fixtures.ts";
import { type Type, types } from "./type.ts";
import type { Frame, Value } from "./value.ts";
import { compileJson, valueToJson, type WireForm } from "./write-json.ts";
import { renderTimestamp } from "./writing/wire.ts";

const plainWire: WireForm = { timestamps: "milliseconds", nulls: true };

function json(text: string, given: Partial<Omit<Frame, "ports">> = {}, wire: Partial<WireForm> = {}): string {
  return compileJson(nodeOf(text), meaning, { ...plainWire, ...wire })(frameOf(given));
}

describe("JSON text of an expression", () => {
  it("writes scalars by their type", () => {
    const given = {
      this: parcel({
        cost: "12.5",
        day: "2026-11-20",
        wait: 90_000,
        tags: ['a"\n\u2028', "b"],
        extra: { deep: [1, null] },
        rate: 1e21,
      }),
    };
    assert.equal(
      json(
        '{"a": this.cost, "b": this.day, "c": this.wait, "d": this.tags, "e": this.extra, "f": this.weight, "g": this.rate, "h": this.fragile}',
        given,
      ),
      `{"a":"12.5","b":"2026-11-20","c":"1m30s","d":${JSON.stringify(['a"\n\u2028', "b"])},"e":{"deep":[1,null]},"f":1200,"g":1e+21,"h":null}`,
    );
    assert.equal(json('bytes("hi")'), '"aGk="');
  });

  it("writes timestamps in the six forms", () => {
    const at = { now: "2026-11-20T10:00:00.789Z" };
    assert.equal(json("now", at), '"2026-11-20T10:00:00.789Z"');
    assert.equal(json("now", at, { timestamps: "seconds" }), '"2026-11-20T10:00:00Z"');
    assert.equal(json("now", at, { timestamps: "microseconds" }), '"2026-11-20T10:00:00.789000Z"');
    assert.equal(json("now", at, { timestamps: "unix seconds" }), "1795168800");
    assert.equal(json("now", at, { timestamps: "unix milliseconds" }), "1795168800789");
    assert.equal(json("now", at, { timestamps: "RFC 2822" }), '"Fri, 20 Nov 2026 10:00:00 +0000"');
  });

  it("completes a word that is partly written, at any place", () => {
    const body = { a: [new JsonText('{"n":1.0}'), 2] };
    assert.equal(json("body.a", { body }), '[{"n":1.0},2]');
    assert.equal(json("[body.a]", { body }), '[[{"n":1.0},2]]');
  });

  it("writes times with the precision of their form", () => {
    const rendered = (timestamps: WireForm["timestamps"]) =>
      renderTimestamp("2026-11-20T10:00:00.789Z", timestamps).slice(19);
    assert.deepEqual((["seconds", "unix seconds", "RFC 2822"] as const).map(rendered), [
      ".000Z",
      ".000Z",
      ".000Z",
    ]);
    assert.deepEqual((["milliseconds", "microseconds", "unix milliseconds"] as const).map(rendered), [
      ".789Z",
      ".789Z",
      ".789Z",
    ]);
  });

  it("writes references as identifiers, of several fields as an object of them", () => {
    const like = { "#row": 1, "#revision": 1, parcel: "pcl_1", shop: "shp_1" };
    const given = { this: parcel(), caller: shop(), named: { like } };
    assert.equal(
      json("[this.shop, caller, like, this]", given),
      '["shp_1","shp_1",{"parcel":"pcl_1","shop":"shp_1"},"pcl_1"]',
    );
  });

  it("omits optional keys, and every null if the document omits nulls", () => {
    const given = { this: parcel({ extra: null, weight: null }) };
    assert.equal(json("Brief(this)", given), '{"id":"pcl_1","weight":null}');
    assert.equal(json("Brief(this)", given, { nulls: false }), '{"id":"pcl_1"}');
    assert.equal(json('{"a?": body.n, "b": {"c?": body.n}}', { body: {} }), '{"b":{}}');
    // A list or map that was made by an expression has all keys when its elements are taken out.
    assert.equal(json('[[{"a?": body.n}]][0]', { body: {} }), '[{"a":null}]');
    assert.equal(json('[[{"a?": body.n}]][0].map(x, x)', { body: {} }), '[{"a":null}]');
  });

  it("writes shapes, merged ones key by key, and null for a shape of null", () => {
    const given = { this: parcel({ extra: "x" }), page: { total: 1, items: [parcel({ id: "pcl_2" })] } };
    assert.equal(
      json("Full(this)", given),
      '{"id":"pcl_1","weight":1200,"note":"x","price":670,"shop":"shp_1"}',
    );
    assert.equal(json('{"p": Full(this)}'), '{"p":null}');
    assert.equal(json("Page()", given), '{"total":1,"items":["pcl_2"]}');
    assert.equal(json("Page()", { page: given.page }), '{"total":1,"items":["pcl_2"]}');
    assert.equal(json("page.items.map(p, Brief(p))", given), '[{"id":"pcl_2","weight":1200}]');
  });

  it("writes null for a merge of a value that is not a map", () => {
    for (const a of ["ab", [1], 2, parcel()])
      assert.equal(
        json('[merge({"b": 1}, body.a), {"c": merge(body.a, {"b": 1})}]', { body: { a } }),
        '[null,{"c":null}]',
      );
    assert.equal(json('merge({"b": 1}, body.a)', { body: { a: { c: 2 } } }), '{"b":1,"c":2}');
  });

  it("writes the default representation: readable fields in order, also computed ones", () => {
    assert.equal(
      json("Shop(caller)", { caller: shop({ owner: "shp_2" }) }),
      '{"id":"shp_1","name":"Ada & Co","owner":"shp_2"}',
    );
    const text = json("Parcel(this)", { this: parcel({ lines: [{ sku: "a", amount: 2, parts: null }] }) });
    const written = JSON.parse(text);
    assert.deepEqual(written.lines, [{ sku: "a", amount: 2, parts: null, total: 4 }]);
    assert.equal(written.price, 670);
    for (const hidden of ["secret", "key", "siblings", "twin_price", "deleted"])
      assert.equal(hidden in written, false);
  });

  it("writes stored objects with all their keys", () => {
    assert.equal(
      json("this.address", { this: parcel({ address: { city: "Leeds" } }) }),
      '{"city":"Leeds","zip":null}',
    );
    assert.equal(
      json("body.box", { body: { box: { size: { width: 1 } } } }),
      '{"size":{"width":1,"height":null}}',
    );
    assert.equal(json("this.labels", { this: parcel({ labels: { b: "1", a: "2" } }) }), '{"b":"1","a":"2"}');
  });

  it("writes trees of values", () => {
    const line = { sku: "a", amount: 1, parts: [{ sku: "b", amount: 2, parts: [] }] };
    const given = { body: { lines: [line] } };
    assert.equal(json("Tree(body.lines[0])", given), '{"sku":"a","parts":[{"sku":"b","parts":[]}]}');
    assert.equal(
      json("body.lines", given),
      '[{"sku":"a","amount":1,"parts":[{"sku":"b","amount":2,"parts":[],"total":4}],"total":2}]',
    );
  });

  it("means the same as evaluating and writing the value", () => {
    const given = {
      this: parcel({ extra: null, tags: ["x"], cost: "1.5" }),
      caller: shop(),
      page: { total: 2, items: [parcel({ id: "a" }), parcel({ id: "b", extra: 1 })] },
      body: { b: true, list: [1, null], names: ["n"] },
    };
    for (const text of [
      'merge(Brief(this), {"note?": "given", "weight": null})',
      'body.b ? Brief(this) : {"x": 1}',
      'page.items.map(p, merge(Brief(p), {"n": page.items.map(q, q.id)}))',
      'or(body.zero == null ? null : {"a": 1}, {"b": 2})'.replace("body.zero", "body.n"),
      'merge({"a": 1}, {"a?": null, "b": [now, this.cost]})',
      '[body.list, body.names.map(x, {"k": x})]',
      '[{"a?": body.b ? null : 1}].filter(x, true).map(x, {"x": x})',
    ]) {
      const node = nodeOf(text);
      const frame = frameOf(given);
      const written = JSON.parse(compileJson(node, meaning, plainWire)(frame));
      const value = compileFunction(node, meaning)(frame);
      assert.deepEqual(written, JSON.parse(JSON.stringify(value)), text);
    }
  });
});

describe("a value as JSON", () => {
  it("takes its form from its type", () => {
    const cases: readonly (readonly [Value, Type, unknown])[] = [
      [90_000, types.duration, "1m30s"],
      ["12.5", types.decimal, "12.5"],
      [shop(), { kind: "record", resource: "Shop" }, "shp_1"],
      [["2026-11-20T10:00:00.000Z"], { kind: "list", of: types.timestamp }, ["2026-11-20T10:00:00.000Z"]],
      [parcel(), types.any, null],
      [null, types.string, null],
    ];
    for (const [value, type, expected] of cases) {
      assert.deepEqual(valueToJson(value, type, meaning, plainWire, frameOf()), expected);
    }
  });
});
