/** The documents of this folder pass as they stand, in this process and over a socket. */
import { testDocuments } from "../documents/run-documents.ts";

testDocuments(import.meta.dirname, { socket: true });
