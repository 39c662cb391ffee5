/** Size limit of the write-ahead log while a reader prevents its checkpoint. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { storePath } from "../../test-files.ts";
import { openConnection } from "../connection/connection.ts";
import { createLogBound } from "./log-bound.ts";

test("a log that another process keeps from being copied is long again after it has grown by the limit", (t) => {
  const path = storePath(t);
  const bytesMax = 50_000;
  const [own, otherConnection] = [openConnection(path), openConnection(path)];
  t.after(() => otherConnection.close());
  t.after(() => own.close());
  const bound = createLogBound(path, own, bytesMax);
  const sizeOfLog = () => statSync(`${path}-wal`).size;
  const addUntil = (size: number) => {
    while (sizeOfLog() <= size) own.exec("INSERT INTO leaf (text) VALUES (zeroblob(10_000))");
  };
  own.exec("CREATE TABLE leaf (text TEXT)");
  assert.equal(bound.isLong(), false);
  otherConnection.exec("BEGIN; SELECT * FROM leaf");
  addUntil(bytesMax);
  assert.equal(bound.isLong(), true);
  bound.fold();
  const left = sizeOfLog();
  assert.ok(left > bytesMax, "somebody reads it");
  assert.equal(bound.isLong(), false);
  addUntil(left + bytesMax);
  assert.equal(bound.isLong(), true);
  otherConnection.exec("COMMIT");
  bound.fold();
  assert.equal(sizeOfLog(), 0);
  assert.equal(bound.isLong(), false);
  addUntil(bytesMax);
  assert.equal(bound.isLong(), true);
});
