/** The documents of this folder: names in places where they once had no meaning. */
import { fileURLToPath } from "node:url";
import { testDocuments } from "../documents/run-documents.ts";

testDocuments(fileURLToPath(new URL(".", import.meta.url)));
