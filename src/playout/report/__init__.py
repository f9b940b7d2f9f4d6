"""Results, trees and scores for people to read: text, HTML, SVG, and explanations in plain words."""
