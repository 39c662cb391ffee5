// First, and outside of any file's suite: the browser that all of them share is closed when all are over.
import "../console/open-console.ts";
import { together } from "./together.ts";

together("console");
