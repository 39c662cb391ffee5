/** The documents of this folder: what names mean in places where they once meant nothing. */
import { fileURLToPath } from "node:url";
import { testDocuments } from "../documents/run-documents.ts";

testDocuments(fileURLToPath(new URL(".", import.meta.url)));
