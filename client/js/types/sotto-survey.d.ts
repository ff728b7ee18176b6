export { SottoSurvey };
import { SottoSurvey } from "./component/element.js";
