/** Coverage documents: their scenarios pass without changes, in this process and over a socket. */
import { testDocuments } from "../documents/run-documents.ts";

testDocuments(import.meta.dirname, { socket: true });
