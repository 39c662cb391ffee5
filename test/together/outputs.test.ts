import { together } from "./together.ts";

together("outputs");
