/** File signatures: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaTypeOfBytes } from "./file-signatures.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

test("the content of a file takes precedence over the stated type", () => {
  assert.equal(mediaTypeOfBytes(bytes("\x89PNG\r\n\x1a\nx"), "image/jpeg"), "image/png");
  assert.equal(mediaTypeOfBytes(bytes("RIFF1234WEBPx"), undefined), "image/webp");
  assert.equal(mediaTypeOfBytes(bytes("%PDF-1.7"), "text/plain"), "application/pdf");
});

test("a format that is based on another has the type that its sender states", () => {
  const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  assert.equal(mediaTypeOfBytes(bytes("PK\x03\x04"), docx), docx);
  assert.equal(mediaTypeOfBytes(bytes("PK\x03\x04"), "application/msword"), "application/zip");
});

test("content that contradicts the stated type is rejected", () => {
  assert.equal(mediaTypeOfBytes(bytes("<script>"), "image/png"), undefined);
  assert.equal(mediaTypeOfBytes(bytes("x"), "application/epub+zip"), undefined);
  assert.equal(mediaTypeOfBytes(bytes("\xff\xfe"), "text/csv"), undefined);
  assert.equal(mediaTypeOfBytes(bytes("a\0b"), "application/json"), undefined);
});

test("other files have the type that their sender states", () => {
  assert.equal(mediaTypeOfBytes(bytes("a,b"), "text/csv"), "text/csv");
  assert.equal(mediaTypeOfBytes(bytes("\xff\xfe"), "application/x-own"), "application/x-own");
  assert.equal(mediaTypeOfBytes(bytes(""), undefined), "application/octet-stream");
});

test("a file that a browser would run is recognized by its first element, whatever its name", () => {
  const svg = [
    '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>',
    '\xef\xbb\xbf  <?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [<!ENTITY a "b">]>\n<svg>',
    "<s:svg xmlns:s='http://www.w3.org/2000/svg'>",
  ];
  for (const text of svg)
    for (const claimed of ["text/plain", "text/csv", "application/json", undefined])
      assert.equal(mediaTypeOfBytes(bytes(text), claimed), "image/svg+xml", `${claimed}: ${text}`);
  for (const text of [
    "<!doctype HTML>",
    " \n<html lang=en>",
    "<script>x()</script>",
    "<!-- --><body>",
    "<img src=x onerror=x()>",
  ])
    assert.equal(mediaTypeOfBytes(bytes(text), "text/plain"), "text/html", text);
});

test("content that only resembles markup has the type that its sender states", () => {
  for (const text of [
    "1 <svg>",
    "<svgx>",
    "<3",
    "<pre",
    "a <b> c",
    "<abbr>",
    "<name@example.com>",
    "<?xml version='1.0'?><feed/>",
  ])
    assert.equal(mediaTypeOfBytes(bytes(text), "text/plain"), "text/plain", text);
  assert.equal(mediaTypeOfBytes(bytes("<div align=center>"), "text/markdown"), "text/markdown");
  assert.equal(mediaTypeOfBytes(bytes("<svg>"), "application/xml"), "application/xml");
  assert.equal(mediaTypeOfBytes(bytes("<!doctype html>"), "text/html"), "text/html");
});
