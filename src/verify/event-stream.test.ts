/** Server-sent events in a scenario. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Position } from "../source/source.ts";
import { compareStream, enoughReceived, isEventStream, readBlocks } from "./event-stream.ts";

const position = {
  start: { line: 1, column: 1, offset: 0 },
  end: { line: 1, column: 1, offset: 0 },
} as Position;

const received = [
  "retry: 2000",
  "id: 1-aa",
  "",
  ": ping",
  "",
  "id: 2-bb",
  "event: moved",
  'data: {"parcel": "p1", "at": 1}',
  "",
  "id: 3-cc",
  "event: lost",
  "data: one",
  "data:two",
  "",
  "event: half",
].join("\n");

const sent = (text: string, captures = new Map()) =>
  compareStream({ text, position }, received, captures).map(
    (scenarioFailure) => `${scenarioFailure.what}: ${scenarioFailure.expected} ≠ ${scenarioFailure.actual}`,
  );

test("the content type identifies a stream", () => {
  assert.ok(isEventStream([{ name: "content-type", value: "text/event-stream; charset=utf-8" }]));
  assert.ok(!isEventStream([{ name: "Content-Type", value: "text/event-streams" }]));
});

test("blocks are parsed as the standard says, and an incomplete block is ignored", () => {
  assert.deepEqual(readBlocks(received), [
    { id: "1-aa" },
    { id: "2-bb", event: "moved", data: '{"parcel": "p1", "at": 1}' },
    { id: "3-cc", event: "lost", data: "one\ntwo" },
  ]);
  assert.deepEqual(readBlocks("data: a\r\n\r\ndata:  b\r\rdata\n\n"), [
    { data: "a" },
    { data: " b" },
    { data: "" },
  ]);
});

test("events are compared in order, by their expected fields, and values are captured", () => {
  const captures = new Map();
  assert.deepEqual(sent('id: {{place}}\n\nevent: moved\ndata: {"parcel": "{{parcel}}"}', captures), []);
  assert.deepEqual([captures.get("place"), captures.get("parcel")], ["1-aa", "p1"]);
  assert.deepEqual(sent("data: {{*}}\n\nevent: lost\ndata: one\ndata: two"), []);
});

test("a difference is reported with its event", () => {
  assert.deepEqual(sent("event: lost"), ["event 1 event: lost ≠ moved"]);
  assert.deepEqual(sent('event: moved\ndata: {"at": 2}'), ["event 1 data at: 2 ≠ 1"]);
  assert.deepEqual(sent("id: 9-zz\nevent: moved"), ["event 1 id: 9-zz ≠ 2-bb"]);
  assert.deepEqual(sent("event: moved\n\nevent: lost\n\nevent: half"), ["event 3: half ≠ no further event"]);
});

test("enough has arrived when every expected block has a counterpart", () => {
  const isEnough = enoughReceived("event: moved\n\nid: {{next}}");
  assert.equal(isEnough("id: 1-aa\n\nevent: other\ndata: x\n\n"), false);
  assert.equal(isEnough("id: 1-aa\n\nevent: other\ndata: x\n\nid: 2\n\n"), true);
  assert.equal(enoughReceived(undefined)(""), true);
});
