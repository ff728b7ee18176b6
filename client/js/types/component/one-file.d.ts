export { SottoSurvey };
import { SottoSurvey } from "./element.js";
