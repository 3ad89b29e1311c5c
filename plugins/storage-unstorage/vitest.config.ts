export { default } from "@gantry/build/vitest";
