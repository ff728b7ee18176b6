export { ask } from "./carrier.js";
