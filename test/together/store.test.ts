import { together } from "./together.ts";

together("store");
