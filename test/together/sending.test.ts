import { together } from "./together.ts";

together("sending");
