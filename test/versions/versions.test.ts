/**
 * Documents about versions (part 9), one for each kind of service. Each of their scenarios is one
 * test.
 */
import { testDocuments } from "../documents/run-documents.ts";

testDocuments(import.meta.dirname);
