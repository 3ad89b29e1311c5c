// The command from its sources, for a command line that runs from its own.
export { default } from "@gantry/plugin-doctor/commands";
