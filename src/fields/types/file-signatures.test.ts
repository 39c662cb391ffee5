import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaTypeOfBytes } from "./file-signatures.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

test("what bytes say counts more than what their sender says", () => {
  assert.equal(mediaTypeOfBytes(bytes("\x89PNG\r\n\x1a\nx"), "image/jpeg"), "image/png");
  assert.equal(mediaTypeOfBytes(bytes("RIFF1234WEBPx"), undefined), "image/webp");
  assert.equal(mediaTypeOfBytes(bytes("%PDF-1.7"), "text/plain"), "application/pdf");
});

test("a format that is made of another is what its sender says", () => {
  const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  assert.equal(mediaTypeOfBytes(bytes("PK\x03\x04"), docx), docx);
  assert.equal(mediaTypeOfBytes(bytes("PK\x03\x04"), "application/msword"), "application/zip");
});

test("bytes belie what they are not", () => {
  assert.equal(mediaTypeOfBytes(bytes("<script>"), "image/png"), undefined);
  assert.equal(mediaTypeOfBytes(bytes("x"), "application/epub+zip"), undefined);
  assert.equal(mediaTypeOfBytes(bytes("\xff\xfe"), "text/csv"), undefined);
  assert.equal(mediaTypeOfBytes(bytes("a\0b"), "application/json"), undefined);
});

test("of all others the sender is believed", () => {
  assert.equal(mediaTypeOfBytes(bytes("a,b"), "text/csv"), "text/csv");
  assert.equal(mediaTypeOfBytes(bytes("\xff\xfe"), "application/x-own"), "application/x-own");
  assert.equal(mediaTypeOfBytes(bytes(""), undefined), "application/octet-stream");
});
