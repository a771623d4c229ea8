// Takes SQL by lines and answers each question with the number that it gives. The folder in QUAYWATCH_PEERS has DuckDB's package.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.env.QUAYWATCH_PEERS + "/package.json");
const { DuckDBInstance } = require("@duckdb/node-api");
const connection = await (await DuckDBInstance.create(":memory:")).connect();
for await (const line of createInterface({ input: process.stdin })) {
  const rows = await (await connection.run(line)).getRows();
  if (line.startsWith("select") || line.startsWith("with")) console.log(String(rows[0][0]));
}
