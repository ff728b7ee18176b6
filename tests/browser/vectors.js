// Runs the vectors that every language's client shares through the modules, in the page that imports this. Every
// function returns what it found, which the test compares with the vectors.

/** Import one of the client's modules. */
async function module(url, name) {
  return import(`${url}/js/src/${name}.js`);
}

const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** One answer through a mechanism, from the given coins: the packed report, as it is sent, and the bytes that are left. */
export async function perturb(url, vectors) {
  const [{ Fields, parseJson }, { readMechanism }, { Coins, givenBytes }] = await Promise.all(
    ["documents", "mechanisms", "coins"].map((name) => module(url, name)),
  );
  const found = [];
  for (const { type, mechanism, n_values: nValues, answers, coins } of vectors) {
    const { document } = parseJson(new TextEncoder().encode(JSON.stringify(mechanism)));
    const made = readMechanism(new Fields(document, "$"), type, type === "yes-no" ? 0 : nValues);
    const bytes = unhex(coins);
    let nTaken = 0;
    const take = givenBytes(bytes);
    const given = new Coins((n) => ((nTaken += n), take(n)));
    const answer = type === "text" ? answers[0].normalize("NFC") : Array.isArray(answers[0]) ? Uint8Array.from(answers[0]) : answers[0];
    const group = await made.drawGroup(given);
    const settled = "settle" in made ? await made.settle(answer, given) : answer;
    const permanent = await made.respond(settled, group, given);
    const report = await made.report(permanent, given);
    found.push([[hex(report)], [made.toWire(report)], nTaken]);
  }
  return found;
}

/** The bits of every string. */
export async function bloom(url, vectors) {
  const { bloomBits } = await module(url, "bloom");
  const bits = ({ n_bits: nBits, n_hashes: nHashes, cohort, text, position }) =>
    bloomBits({ nBits, nHashes }, cohort, new TextEncoder().encode(text.normalize("NFC")), position);
  return Promise.all(vectors.map(bits));
}

/** The bucket of every string. */
export async function sketch(url, vectors) {
  const { bucketOf } = await module(url, "sketch");
  const found = ({ n_buckets: nBuckets, cohort, text }) =>
    bucketOf(nBuckets, cohort, new TextEncoder().encode(text.normalize("NFC")));
  return Promise.all(vectors.map(found));
}

/** What published surveys declare, or where they are wrong. */
export async function surveys(url, texts) {
  const { readSurvey } = await module(url, "survey");
  const read = async (text) => {
    try {
      const { fingerprint, epsilon, epsilonForever } = await readSurvey(unhex(text));
      return { fingerprint, epsilon, epsilonForever };
    } catch (fault) {
      return fault.where;
    }
  };
  return Promise.all(texts.map(read));
}

/** What a device posts: from its secret, the answers, the coins of the second stage, and the report's id. */
export async function reports(url, surveys, vectors) {
  const [{ readSurvey }, { importSecret, Coins, givenBytes }, { markAnswers, reportAnswers }, { batchBody, blanksAfter, wireReport }] =
    await Promise.all(["survey", "coins", "permanent", "report"].map((name) => module(url, name)));
  const found = [];
  for (const { survey: name, secret, wave, answers, coins, id, invitation } of vectors) {
    const survey = await readSurvey(new TextEncoder().encode(surveys[name]));
    const [encoded, key] = [survey.encode(answers), await importSecret(unhex(secret))];
    const streams = new Map(survey.questions.map((question, at) => [question, new Coins(givenBytes(unhex(coins[at])))]));
    const columns = await reportAnswers(survey, encoded, key, (question) => streams.get(question));
    const sent = wireReport(survey, unhex(id), columns, wave);
    const marks = hex(await markAnswers(survey, encoded, key));
    const body = (given) => batchBody(survey.fingerprint, sent, blanksAfter(survey, sent), given);
    found.push([marks, body(), body(invitation)]);
  }
  return found;
}
