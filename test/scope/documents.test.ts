/** The documents of this folder: names in places that once did not define them. */
import { fileURLToPath } from "node:url";
import { testDocuments } from "../documents/run-documents.ts";

testDocuments(fileURLToPath(new URL(".", import.meta.url)));
